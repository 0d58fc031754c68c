def write(app, exception):
    pass
